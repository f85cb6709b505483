"""What is made of hits: context for a prompt, answers with citations, checked quotes."""
