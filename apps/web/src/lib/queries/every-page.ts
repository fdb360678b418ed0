/** Number of rows on the largest page of a list. */
export const pageSize = 1000
const maxPages = 10

/** Reads every row of a list, page after page, up to 10,000 rows. */
export const everyPage = async <Row>(
  read: (page: { page_size: number; page_token: string }) => Promise<{ rows: Row[]; next: string }>,
): Promise<Row[]> => {
  const rows: Row[] = []
  let token = ''
  for (let page = 0; page < maxPages; page++) {
    const answer = await read({ page_size: pageSize, page_token: token })
    rows.push(...answer.rows)
    token = answer.next
    if (token === '') break
  }
  return rows
}
