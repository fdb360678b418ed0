import type { Granularity } from '@tributary/contract'

/** Length of a bucket in seconds; 0 if the whole range is one bucket. */
export const bucketSeconds = { hour: 3600, day: 86_400, total: 0 } as const satisfies Record<Granularity, number>

const digits = { hour: 10, day: 8 } as const

/** The name of the bucket that begins at this time (epoch seconds): `YYYYMMDDHH` or `YYYYMMDD` in UTC, or `total`. */
export const bucketName = (granularity: Granularity, startSeconds: number): string =>
  granularity === 'total'
    ? 'total'
    : new Date(startSeconds * 1000).toISOString().replaceAll(/\D/g, '').slice(0, digits[granularity])
