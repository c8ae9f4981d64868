"""Ways in: each uses only what any user can import from memdb."""
