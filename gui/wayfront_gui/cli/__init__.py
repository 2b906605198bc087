"""The sub-commands of ``wayfront``, one subject per file. Heavy libraries are imported inside them."""
