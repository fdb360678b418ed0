import type { SecretTarget } from '@tributary/contract'
import type { z } from 'zod'
import { defineSettings, type SettingsSchema, setting } from '../../definition/setting.ts'
import { settingText } from '../../definition/settings.ts'
import type { Description } from '../format/schema.ts'
import type { DescribedSetting } from '../format/schema-settings.ts'
import { hostLabel, secretAddress, serverSettings } from './servers.ts'

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as Partial<Record<Name, Value>>

const schemaOf = (described: DescribedSetting, sentTo: readonly SecretTarget[]): z.ZodType => {
  const { label, help, required } = described
  const shared = { label, help, required, ...optional('showWhen', described.show_when) }
  switch (described.type) {
    case 'text':
      return setting.text({
        ...shared,
        ...optional('default', described.default),
        ...optional('maxLength', described.max_length),
      })
    case 'secret':
      return setting.secret({ ...shared, sentTo, ...optional('maxLength', described.max_length) })
    case 'url':
      return setting.url({ ...shared, ...optional('default', described.default) })
    case 'choice': {
      const [first, ...others] = described.choices
      if (first === undefined) throw new Error('A choice has no values')
      return setting.choice({ ...shared, default: described.default, choices: [first, ...others] })
    }
    case 'toggle':
      return setting.toggle({ ...shared, default: described.default })
    case 'number':
      return setting.number({
        ...shared,
        ...optional('default', described.default),
        ...optional('min', described.min),
        ...optional('max', described.max),
      })
  }
}

/** Returns the settings of a description as connectors have them. A secret is bound to the servers of its requests. */
export const makeSettings = ({ settings, servers }: Pick<Description, 'settings' | 'servers'>): SettingsSchema =>
  defineSettings(
    Object.fromEntries(
      Object.entries(settings).map(([name, described]) => [name, schemaOf(described, serverSettings(servers))]),
    ),
  )

const hostsText = (hosts: readonly string[]): string =>
  hosts.includes('*') ? 'the host' : `a host such as ${hosts.join(', ')}`

/** Returns the check of settings that decide hosts: messages for users by the name of the setting. */
export const hostCheck = ({ settings, servers }: Pick<Description, 'settings' | 'servers'>) => {
  const secret = Object.values(servers).flatMap((server) =>
    typeof server === 'object' && 'secret' in server ? [server] : [],
  )
  const labels = Object.entries(settings).flatMap(([name, described]) =>
    described.type === 'text' && described.host_label === true ? [name] : [],
  )
  return (values: Parameters<typeof settingText>[0]): Record<string, string> =>
    Object.fromEntries([
      ...labels
        .filter((name) => values[name] !== undefined && !hostLabel.test(settingText(values, name).trim()))
        .map((name) => [name, 'Enter only the name, without https:// and without dots']),
      ...secret
        .filter((server) => values[server.secret] !== undefined)
        .filter((server) => secretAddress(server, settingText(values, server.secret)) === undefined)
        .map(({ secret: name, hosts }) => [
          name,
          `Enter the whole URL that starts with https:// and ${hostsText(hosts)}`,
        ]),
    ])
}
