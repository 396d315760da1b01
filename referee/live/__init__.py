"""Live over a table: a camera in, rulings, pages and a recording out."""
