"""What the commands of each menu do: one class a menu, whose methods ``model.commands`` names."""
