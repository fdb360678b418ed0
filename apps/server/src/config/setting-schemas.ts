import { flagKeys } from '@tributary/kernel'
import { z } from 'zod'
import { isLoopbackHost } from '../http/loopback.ts'

export const text = z.string().trim()
export const whole = (least: number, most = Number.MAX_SAFE_INTEGER, why = '') =>
  text
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(least, `must be at least ${least}`).max(most, `must be at most ${most}${why}`))
export const list = text.transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
export const dnsServers = list.refine(
  (servers) =>
    servers.every((server) => /^(?:[\d.]+(?::\d{1,5})?|\[[\da-f:]+\](?::\d{1,5})?|[\da-f:]+)$/i.test(server)),
  'must be addresses with an optional port, such as 1.1.1.1 or 127.0.0.1:5300',
)
/**
 * Deleted users disappear from the logs when files are deleted by age. A file may be written for a twelfth of the
 * retention time, so that it takes 30 days at most.
 */
export const maxLogHours = 27 * 24
/**
 * A destination may wait up to a day before a retry, and retries last up to this time: delivery needs no older records
 * in the log.
 */
export const maxRetryHours = maxLogHours - 24
/** Sign-up has a separate setting, so its flag is not listed here. */
export const switches = flagKeys.filter((key) => key !== 'sign-up-enabled')
export const flagChanges = list.refine(
  (values) => values.every((value) => switches.some((key) => value === `${key}=on` || value === `${key}=off`)),
  `must be some of ${switches.map((key) => `${key}=on or =off`).join(', ')}, separated by commas`,
)
export const url = (...protocols: string[]) =>
  text.refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })
/** Like `url`, but the host may be missing if a parameter names the folder of a Unix socket, as libpq allows. */
export const databaseUrl = text.refine(
  (value) => {
    const full = value.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)\//, '$1localhost/')
    if (!URL.canParse(full) || !/^postgres(ql)?:$/.test(new URL(full).protocol)) return false
    return full === value || new URL(full).searchParams.has('host')
  },
  {
    message:
      'must be a URL such as postgres://user:password@host:5432/database or postgres://user@/database?host=/socket/folder',
  },
)
export const brokers = list
  .refine(
    (values) =>
      values.every(
        (value) => /^(?:[\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(value) && Number(value.split(':').at(-1)) < 65_536,
      ),
    'must be addresses such as kafka-1:9092,kafka-2:9092',
  )
  .transform((values) =>
    values.map((value) => ({
      host: value.slice(0, value.lastIndexOf(':')).replace(/^\[|\]$/g, ''),
      port: Number(value.slice(value.lastIndexOf(':') + 1)),
    })),
  )
const cidr = /^[0-9a-fA-F.:]+\/\d{1,3}$/
export const networks = list.refine(
  (values) => values.every((value) => cidr.test(value)),
  'must be networks such as 10.0.0.0/8, separated by commas',
)

export const issuer = url('http:', 'https:').refine(
  (value) => !URL.canParse(value) || new URL(value).protocol === 'https:' || isLoopbackHost(new URL(value).hostname),
  'must begin with https://; http:// is taken for a loopback address only',
)
export const webAddress = url('http:', 'https:')

export type Setting = { schema: z.ZodType; fallback: string | undefined; shown: string; help: string }
export const setting = <T extends z.ZodType>(
  schema: T,
  fallback: string | undefined,
  help: string,
  shown = fallback ?? '',
) => ({ schema, fallback, shown, help }) as const
