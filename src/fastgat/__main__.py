"""`python -m fastgat` is the command line."""

from fastgat.cli import main

if __name__ == "__main__":
    main()
