import type { AuditRecord } from '@tributary/contract'
import { expect, test } from 'vitest'
import { actionText, actorText, detailLines, resourceText } from './audit-words.ts'
import { auditCsv } from './export-audit-log.ts'

const record: AuditRecord = {
  id: 'r1',
  time: '2026-01-02T03:04:05.000Z',
  action: 'sources.updateSetting',
  resource: 'workspaces/w1/sources/s1/app',
  workspace: { name: 'workspaces/w1', title: 'Production' },
  actor: { kind: 'user', name: 'users/u1', title: 'Ada Lovelace', email: 'ada@example.com' },
  on_behalf_of: 'Acme',
  ip: '192.0.2.1',
  user_agent: '=HYPERLINK("x")',
  detail: { setting: 'region', secrets: [] },
  changes: [{ field: 'region', before: 'eu', after: 'us' }],
}

test('a record names the action, the user, and the organization for which staff acted', () => {
  expect(actionText(record.action)).toBe('Sources: update setting')
  expect([actionText('apiKeys.rotate'), actionText('writekeys.create')]).toEqual([
    'API keys: rotate',
    'Write keys: create',
  ])
  expect(actorText(record)).toBe('Ada Lovelace on behalf of Acme')
  expect(actorText({ ...record, on_behalf_of: null })).toBe('Ada Lovelace')
  expect(actorText({ actor: { kind: 'product', name: '', title: '', email: '' }, on_behalf_of: null })).toBe(
    'Tributary',
  )
  expect(detailLines(record)).toEqual([['setting', 'region']])
  // A changed field has a value before and after.
  expect(detailLines({ ...record, detail: { region: 'us', title: 'Shop' } })).toEqual([['title', 'Shop']])
})

test('a resource is shown by its kind and the end of its ID, which fits on a phone', () => {
  const [workspace, source] = ['01a216ff-76b5-756a-8d37-1aa2a15fe9f2', '01a216ff-76b5-756a-8d37-1aa244c80061']
  expect(resourceText(`workspaces/${workspace}/sources/${source}`)).toBe('sources/…44c80061')
  expect(resourceText(`workspaces/${workspace}/sources/${source}/app`)).toBe('sources/…44c80061/app')
  expect(resourceText(`workspaces/${workspace}`)).toBe('workspaces/…a15fe9f2')
  expect(resourceText('workspaces')).toBe('workspaces')
})

test('an exported file has one row per record, and spreadsheets execute none of its values', () => {
  const [header, row] = auditCsv([record]).split('\r\n')
  expect(header?.split(',')).toHaveLength(12)
  expect(row).toContain('2026-01-02T03:04:05.000Z,user,Ada Lovelace,ada@example.com,Acme,sources.updateSetting')
  expect(row).toContain(`"'=HYPERLINK(""x"")"`)
  expect(row).toContain('""before"":""eu""')
})
