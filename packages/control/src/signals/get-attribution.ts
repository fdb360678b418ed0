import { type Db, referenceIn } from '@tributary/api-kit'
import {
  type AttributionRow,
  clickedPlatforms,
  type methods,
  type ParsedQuery,
  resourceNames,
  signalLimits,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readSignal, signalName } from '@tributary/signals'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { csvText } from './csv.ts'
import { dayName, daysOf } from './period.ts'

type Query = ParsedQuery<typeof methods.signals.getAttribution>

type Row = {
  day: string
  signal_id: string
  title: string
  clicked: string
  utm_source: string
  utm_medium: string
  utm_campaign: string
  count: string
  amounts: { currency: string; amount: number }[]
}

const read = async (
  db: Db,
  workspaceId: string,
  query: Query,
): Promise<{ rows: AttributionRow[]; truncated: boolean }> => {
  const { from, to } = daysOf(query)
  let signalId: string | undefined
  if (query.signal !== undefined) {
    const { signal } = referenceIn(workspaceId, resourceNames.signal, { field: 'signal', name: query.signal })
    signalId = (await readSignal(db, workspaceId, signal)).id
  }
  const { rows } = await sql<Row>`
    select d.day::text, d.signal_id, s.title, d.clicked, d.utm_source, d.utm_medium, d.utm_campaign,
      sum(d.count) as count,
      coalesce(json_agg(json_build_object('currency', d.currency, 'amount', d.amount) order by d.currency)
        filter (where d.currency <> ''), '[]') as amounts
    from signal_days d join signals s on s.id = d.signal_id
    where d.workspace_id = ${workspaceId}::uuid and d.touch = ${query.touch}
      and d.day >= ${from}::date and d.day < ${to}::date
      and ${signalId === undefined ? sql`true` : sql`d.signal_id = ${signalId}::uuid`}
    group by d.day, d.signal_id, s.title, d.clicked, d.utm_source, d.utm_medium, d.utm_campaign
    order by d.day desc, count desc, d.signal_id, d.clicked, d.utm_source, d.utm_medium, d.utm_campaign
    limit ${signalLimits.attributionRows + 1}`.execute(db)
  return {
    rows: rows.slice(0, signalLimits.attributionRows).map((row) => ({
      day: dayName(row.day),
      signal: signalName(workspaceId, row.signal_id),
      signal_title: row.title,
      clicked_platform: clickedPlatforms.find((each) => each === row.clicked) ?? 'none',
      utm_source: row.utm_source,
      utm_medium: row.utm_medium,
      utm_campaign: row.utm_campaign,
      conversion_count: Number(row.count),
      amounts: row.amounts.map(({ currency, amount }) => ({ currency, amount: Math.round(amount * 100) / 100 })),
    })),
    truncated: rows.length > signalLimits.attributionRows,
  }
}

/** Returns the conversions by day, clicked platform, and campaign. */
export const getAttribution =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.signals.getAttribution> =>
  async ({ workspace, query }) =>
    await read(db, workspace.id, query)

const header = ['day', 'signal', 'clicked_platform', 'utm_source', 'utm_medium', 'utm_campaign', 'conversions'] as const

/** Returns the same attribution as CSV, with a row for each currency. */
export const exportAttribution =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.signals.exportAttribution> =>
  async ({ workspace, query }) => {
    const { rows } = await read(db, workspace.id, query)
    const lines = rows.flatMap((row) => {
      const day = row.day.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
      const own = [day, row.signal_title, row.clicked_platform, row.utm_source, row.utm_medium, row.utm_campaign]
      const [first, ...rest] = row.amounts
      return [
        [...own, row.conversion_count, first?.currency ?? '', first?.amount ?? ''],
        // 0 conversions: they are counted in the row of the first currency.
        ...rest.map(({ currency, amount }) => [...own, 0, currency, amount]),
      ]
    })
    return {
      file_name: `attribution-${query.touch}-${daysOf(query).from}.csv`,
      content: csvText([[...header, 'currency', 'amount'], ...lines]),
    }
  }
