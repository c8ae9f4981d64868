"""`python -m memdb` is the command `memdb`."""

from memdb.interfaces.cli import main

if __name__ == "__main__":
    main()
