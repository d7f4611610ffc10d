/** What a person reads on a page. */

/** The rows of a section's table as text: one list of cells per row. */
export function rowsOf(page: string, section: string): string[][] {
  const [markup = ''] = new RegExp(`<section id="${section}".*?</section>`, 's').exec(page) ?? [];
  const [body = ''] = /<tbody.*?<\/tbody>/s.exec(markup) ?? [];
  return [...body.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => textOf(cell)),
  );
}

export function textOf(markup: string): string {
  return markup
    .replaceAll(/<wbr[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The lines at the top that tell of problems of the monitor itself. */
export function alertsOf(page: string): string[] {
  return [...page.matchAll(/role="alert">(.*?)<\/p>/gs)].map(([, text = '']) => textOf(text));
}
