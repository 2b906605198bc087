"""What strangers send and what is written for good: checked before it is used, and written whole or not at all."""
