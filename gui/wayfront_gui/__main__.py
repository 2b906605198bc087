"""``python -m wayfront_gui``: the command line where no script is installed, as on a server with bare sources."""

from wayfront_gui.entry import main

if __name__ == "__main__":
    main()
