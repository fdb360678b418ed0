import { expect, test } from 'vitest'
import { signalRows } from './signal-rows.ts'

const row = (title: string, more: object = {}) => ({
  title,
  state: 'enabled' as const,
  conversion: { type: 'lead' as const, custom_name: '' },
  trigger: { type: 'events' as const, sources: [{ name: 's', title: 'Shop' }], event_names: ['Lead Created'] },
  platforms: [{ platform: 'meta' as const, title: 'Meta EU' }],
  ...more,
})
const rows = [
  row('Orders', { conversion: { type: 'purchase', custom_name: '' }, state: 'disabled' }),
  row('Leads'),
  row('Trials', { platforms: [{ platform: 'tiktok', title: 'TikTok' }] }),
]

test('signals are found by title, conversion, event and source, and narrowed by state and platform', () => {
  const table: readonly [Parameters<typeof signalRows>[1], string[]][] = [
    [{ search: '', state: '', platform: '' }, ['Orders', 'Leads', 'Trials']],
    [{ search: ' PURCH', state: '', platform: '' }, ['Orders']],
    [{ search: 'lead created', state: '', platform: '' }, ['Orders', 'Leads', 'Trials']],
    [{ search: 'shop', state: 'disabled', platform: '' }, ['Orders']],
    [{ search: '', state: '', platform: 'tiktok' }, ['Trials']],
    [{ search: 'nothing', state: '', platform: '' }, []],
  ]
  for (const [filters, titles] of table) expect(signalRows(rows, filters).map(({ title }) => title)).toEqual(titles)
})
