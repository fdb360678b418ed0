import { expect, test } from 'vitest'
import { type ClientConfig, clientConfig } from './client-config.ts'
import { isClientConfig } from './client-config-reading.ts'

const config: ClientConfig = {
  sign_up_enabled: true,
  oauth: { provider: 'google', display_name: 'Google' },
  links: { terms: '', privacy: '', pricing: '', contact_sales: '', documentation: '', support_email: '' },
  sentry_dsn: '',
  environment: 'production',
  messaging_app_id: '',
  stripe_publishable_key: '',
  analytics_write_key: '',
  mail_enabled: true,
  payment: 'none',
}

const others: readonly unknown[] = [undefined, null, '', 'development', 0, true, {}, []]

/** Returns variants of a value: in each, one part at some depth is missing or has another type. */
const variations = (value: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return [...others]
  const parts = Object.entries(value)
  return [
    ...others,
    ...parts.map(([name]) => Object.fromEntries(parts.filter(([other]) => other !== name))),
    ...parts.flatMap(([name, part]) => variations(part).map((other) => ({ ...value, [name]: other }))),
  ]
}

test('the reader of the client configuration accepts exactly what its schema accepts', () => {
  const all = [config, ...variations(config)]
  expect(all.length).toBeGreaterThan(100)
  const differing = all.filter((value) => isClientConfig(value) !== clientConfig.safeParse(value).success)
  expect(differing).toEqual([])
})
