import type { Settings } from '../../definition/definition.ts'
import { settingText } from '../../definition/settings.ts'
import type { Description } from '../format/schema.ts'
import { partsOfAddress, secretAddress } from './servers.ts'

const encodedForms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams([['', secret]]).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
]

/** Returns every text by which a secret of the settings can be found out: the longest first. Missing secrets have none. */
export const hiddenTextsOf = (
  { settings, servers, auth }: Pick<Description, 'settings' | 'servers' | 'auth'>,
  values: Settings,
): readonly string[] => {
  const text = (name: string): string => settingText(values, name)
  const secrets = Object.entries(settings).flatMap(([name, { type }]) =>
    type === 'secret' && values[name] !== undefined ? [text(name), text(name).trim()] : [],
  )
  const pairs = Object.values(auth)
    .flat()
    .flatMap((credential) => {
      if (credential.in !== 'basic') return []
      const given = [credential.user, credential.password]
      if (given.some((part) => 'setting' in part && text(part.setting).trim() === '')) return []
      const parts = given.map((part) => ('text' in part ? part.text : `${text(part.setting).trim()}${part.suffix}`))
      return [Buffer.from(parts.join(':')).toString('base64')]
    })
  const addresses = Object.values(servers).flatMap((server) => {
    const address =
      typeof server === 'object' && 'secret' in server ? secretAddress(server, text(server.secret)) : undefined
    return address === undefined ? [] : partsOfAddress(address)
  })
  // A longer text is replaced before its parts.
  const all = new Set([...secrets.flatMap(encodedForms), ...pairs, ...addresses].filter((one) => one !== ''))
  return [...all].toSorted((a, b) => b.length - a.length)
}
