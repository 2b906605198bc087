"""The relax/update family of Harish and Narayanan."""
