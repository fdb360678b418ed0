import { expect, test } from 'vitest'
import { rowsCsv } from './export-rows.ts'

test('an exported file of rows has a header, and the outcome of each row with the reason', () => {
  const row = { number: 1, key: '7', source_key: 'c-7', operation: 'upsert', rows: 1 } as const
  expect(rowsCsv([{ ...row, change: 'changed', outcome: 'rejected', reason: 'Too long: "name", 300' }])).toBe(
    'key,primary_key,change,outcome,reason,rows\r\n7,c-7,Changed,Rejected,"Too long: ""name"", 300",1\r\n',
  )
})
