import type { ProfileSummary } from '@tributary/contract'
import { expect, test } from 'vitest'
import { fileNameOf, membersCsv } from './export-members.ts'

test('a file has a header, and a row for each profile', () => {
  const time = '2026-01-01T00:00:00.000Z'
  const profile: ProfileSummary = {
    name: 'workspaces/w/profiles/p1',
    title: 'Ada',
    email: 'ada@example.com',
    identifiers: [{ type: 'user_id', value: 'u-1', create_time: time }],
    identifier_count: 1,
    create_time: time,
  }
  expect(membersCsv([{ profile, enter_time: time }])).toBe(
    `profile,title,email,user_id,anonymous_id,entered\r\np1,Ada,ada@example.com,u-1,,${time}\r\n`,
  )
})

test('the file name contains the audience and the time', () => {
  expect(fileNameOf('Loyal: 3/5', '2026-03-04T05:06:07.890Z')).toBe('Loyal 35 2026-03-04T05-06-07Z.csv')
  expect(fileNameOf('Loyal', null)).toBe('Loyal.csv')
})
