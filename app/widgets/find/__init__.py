"""The bar under the toolbar in which words of the open branch are looked for."""
