import { CurlProblem } from './shell-words.ts'

/** A JSON value of a description. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type JsonObject = { readonly [name: string]: Json }

/** Whether a header, a parameter, or a member has a secret, by its name. */
export const isSecretName = (name: string): boolean =>
  /^(?!.*idempotency)(?:.*[-_.])?(?:api-?key|apikey|app-?key|appkey|key|token|secret|auth|authorization|password|passwd|access-?token|auth-?token|api-?token|api-?secret|client-?secret|signature|cookie|credential|write-?key|sid)$/i.test(
    // Documentation writes `YOURTOKEN`, too.
    name
      .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
      .replaceAll('_', '-')
      .replace(/^(?:your|my|bot)(?=[a-z])/i, ''),
  ) && !/device-?token|push-?token|registration-?token|page-?token/i.test(name.replaceAll('_', '-'))

/** A value that documentation leaves for the reader, such as `{id}`, `<id>`, `:id`, `$ID`, `${ID}`, or `YOUR_ID`. */
export const placeholderIn = (text: string): string | undefined => {
  const found =
    /^\{\{?([\w .-]{1,60})\}\}?$/.exec(text) ??
    /^(?:<|%3C)([\w .-]{1,60})(?:>|%3E)$/i.exec(text) ??
    /^\[([A-Za-z][\w .-]{0,60})\]$/.exec(text) ??
    /^:([A-Za-z]\w{0,60})$/.exec(text) ??
    /^\$\{?([A-Za-z_]\w{0,60})\}?$/.exec(text) ??
    /^(?:YOUR|your|MY)[-_ ]([\w -]{1,60})$/.exec(text)
  return found?.[1]?.trim()
}

/** Words of a name: `accountId` and `ACCOUNT_ID` are both `account id`. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

/** Names that variables of templates have already. */
const taken = ['custom', 'settings', 'item', 'found']

/** Returns a name in snake_case that `used` does not have, and adds it. */
export const partNameOf = (name: string, used: Set<string>): string => {
  const plain = wordsOf(name)
    .join('_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 50)
  const first = plain === '' ? 'value' : taken.includes(plain) ? `${plain}_value` : plain
  let free = first
  for (let count = 2; used.has(free); count++) free = `${first}_${count}`
  used.add(free)
  return free
}

const upperWords = new Set(['id', 'url', 'api', 'ip', 'sid', 'dsn', 'utm', 'sms'])

/** Returns a name as a label: `api_key` is `API key`. */
export const labelOf = (name: string): string => {
  const [first = 'Value', ...others] = wordsOf(name).map((word) => (upperWords.has(word) ? word.toUpperCase() : word))
  return [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(' ').slice(0, 100)
}

/** Returns a label as it is written inside a sentence: `Token` is `token`, and `API key` stays. */
export const withinText = (label: string): string =>
  /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label

/** A text of the command as a template that gives the same text. */
export const asTemplate = (text: string): string =>
  /\{\{|\{%/.test(text) ? text.replaceAll('{{', "{{ '{{' }}").replaceAll('{%', "{{ '{%' }}") : text

/** Returns the names and values of a form or a query. Throws CurlProblem for one that is not encoded well. */
export const pairsOf = (text: string): [name: string, value: string][] => {
  try {
    return text
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const at = part.indexOf('=')
        const [name, value] = at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
        return [decodeURIComponent(name.replaceAll('+', ' ')), decodeURIComponent(value.replaceAll('+', ' '))]
      })
  } catch {
    throw new CurlProblem('The query or the form has a % that is no encoded character')
  }
}
