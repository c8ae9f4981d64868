"""`memdb inspect`: pages to look into a memory with a browser. They only read."""
