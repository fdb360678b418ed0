import { expect, test } from 'vitest'
import { bucketName } from './buckets.ts'

test.each([
  ['day', '2024-01-31T23:59:59Z', '20240131'],
  ['day', '2024-02-29T00:00:00Z', '20240229'],
  ['day', '1970-01-01T00:00:00Z', '19700101'],
  ['hour', '2024-01-31T23:00:00Z', '2024013123'],
  ['hour', '2024-02-01T00:00:00Z', '2024020100'],
  ['total', '2024-02-01T00:00:00Z', 'total'],
] as const)('DATA-08, DATA-09: the UTC %s that begins at %s is named %s', (granularity, time, name) => {
  expect(bucketName(granularity, Date.parse(time) / 1000)).toBe(name)
})
