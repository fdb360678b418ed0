import { type MethodResponse, methods, type SyncRunRow } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { csvOf, inFileName } from '../../../lib/format/csv.ts'
import { syncRunIds } from '../../../lib/format/names.ts'
import type { RowFilters } from '../../../lib/queries/sync-queries.ts'
import { changeTitles, outcomeTitles } from '../sync-words.ts'

type Page = MethodResponse<typeof methods.syncRuns.listRows>

/** Maximum number of rows in one file: browsers can store such a file, and spreadsheets can open it. */
export const maxExportedRows = 200_000

const header = ['key', 'primary_key', 'change', 'outcome', 'reason', 'rows']

/** Returns the rows of a run as a CSV file with a header. The outcomes have the same texts as on the page. */
export const rowsCsv = (rows: readonly SyncRunRow[]): string =>
  csvOf(
    header,
    rows.map(({ key, source_key, change, outcome, reason, rows: count }) => [
      key,
      source_key,
      changeTitles[change],
      outcomeTitles[outcome],
      reason,
      String(count),
    ]),
  )

/**
 * Saves the rows of a run that match the filters as a CSV file. Resolves to true if there are more rows than fit into
 * one file.
 */
export const exportRows = async (run: string, title: string, { key, outcome }: RowFilters): Promise<boolean> => {
  const rows: SyncRunRow[] = []
  let token = ''
  do {
    const page: Page = await call(methods.syncRuns.listRows, {
      params: syncRunIds(run),
      query: {
        page_size: 1000,
        page_token: token,
        ...(key === '' ? {} : { key }),
        ...(outcome === '' ? {} : { outcome }),
      },
    })
    rows.push(...page.rows)
    token = page.next_page_token
  } while (token !== '' && rows.length < maxExportedRows)
  const of = outcome === '' ? 'rows' : `${outcomeTitles[outcome].toLowerCase()} rows`
  saveFile(`${inFileName(title)} ${of}.csv`, rowsCsv(rows), 'text/csv')
  return token !== ''
}
