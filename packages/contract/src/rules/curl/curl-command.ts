import { CurlProblem, shellWords } from './shell-words.ts'

/** The request that a cURL command sends. */
export type CurlCommand = {
  method: string
  url: string
  /** Headers in the order of the command, with names as they are written. */
  headers: (readonly [name: string, value: string])[]
  /** The body as text; '' for none. */
  body: string
  /** User and password of basic authentication. */
  user: string | undefined
}

/** Options without a value that do not change what is sent. */
const flags = new Set(
  (
    'silent show-error location location-trusted insecure include verbose fail fail-with-body globoff compressed ' +
    'no-progress-meter progress-bar no-buffer http1.0 http1.1 http2 http2-prior-knowledge http3 ipv4 ipv6 tlsv1 tlsv1.2 tlsv1.3 ' +
    'basic anyauth no-keepalive remote-name create-dirs path-as-is raw styled-output no-styled-output junk-session-cookies'
  ).split(' '),
)

/** Options with a value that does not change what is sent. */
const ignored = new Set(
  (
    'output write-out max-time connect-timeout retry retry-delay retry-max-time max-redirs proto proto-redir limit-rate ' +
    'keepalive-time user-agent referer stderr trace trace-ascii dump-header cacert cookie-jar resolve ciphers tls-max'
  ).split(' '),
)

/** Options that cannot be described, with the reason. */
const refused: Readonly<Record<string, string>> = {
  'upload-file': 'Files (-T) cannot be sent. Put the text of the body in -d',
  head: 'A HEAD request (-I) has no answer to read. Paste a request that sends data',
  config: 'A file of options (-K) cannot be read. Write its options into the command',
  proxy: 'A proxy (-x) is not possible here. Remove it',
  cert: 'Client certificates are not possible here',
  key: 'Client certificates are not possible here',
  digest: 'Digest authentication is not possible here',
  ntlm: 'NTLM authentication is not possible here',
  negotiate: 'Negotiate authentication is not possible here',
  'aws-sigv4': 'Signatures of AWS are not possible here',
  next: 'There is more than one request. Paste one of them',
}

const shortNames: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  u: 'user',
  G: 'get',
  F: 'form',
  T: 'upload-file',
  I: 'head',
  K: 'config',
  x: 'proxy',
  E: 'cert',
  b: 'cookie',
  o: 'output',
  w: 'write-out',
  m: 'max-time',
  A: 'user-agent',
  e: 'referer',
  c: 'cookie-jar',
  D: 'dump-header',
  s: 'silent',
  S: 'show-error',
  L: 'location',
  k: 'insecure',
  i: 'include',
  v: 'verbose',
  f: 'fail',
  g: 'globoff',
  '#': 'progress-bar',
  N: 'no-buffer',
  O: 'remote-name',
  0: 'http1.0',
  1: 'tlsv1',
  4: 'ipv4',
  6: 'ipv6',
}

const valued = new Set([
  ...ignored,
  ...Object.keys(refused),
  ...(
    'request header data data-ascii data-raw data-binary data-urlencode form form-string json user url url-query cookie ' +
    'oauth2-bearer'
  ).split(' '),
])

type Option = readonly [name: string, value: string]

/** Returns the options of a command by their long names. A word without an option is a `url`. */
const optionsOf = (words: readonly string[]): Option[] => {
  const options: Option[] = []
  const rest = [...words]
  const take = (name: string, given: string): void => {
    const refusal = refused[name]
    if (refusal !== undefined) throw new CurlProblem(refusal)
    if (!valued.has(name)) options.push([name, ''])
    else {
      const value = given === '' ? rest.shift() : given
      if (value === undefined) throw new CurlProblem(`The option --${name} has no value`)
      options.push([name, value])
    }
  }
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word.startsWith('--') && word.length > 2) {
      const [, name = '', value = ''] = /^--([a-z0-9.-]+)(?:=([^]*))?$/.exec(word) ?? []
      take(name === '' ? word.slice(2) : name, value)
    } else if (word.startsWith('-') && word.length > 1) {
      for (let at = 1; at < word.length; at++) {
        const letter = word[at] ?? ''
        const name = shortNames[letter]
        if (name === undefined) throw new CurlProblem(`The option -${letter} is not understood. Remove it`)
        if (!valued.has(name)) take(name, '')
        else {
          take(name, word.slice(at + 1))
          break
        }
      }
    } else options.push(['url', word])
  }
  return options
}

const noFile = (value: string): string => {
  if (value.startsWith('@'))
    throw new CurlProblem('The body is in a file (@). Put the text of the file in place of its name')
  return value
}

/** Encodes the value of --data-urlencode, which may have a name before the first =. */
const urlEncoded = (value: string): string => {
  const at = value.indexOf('=')
  if (at === -1) return encodeURIComponent(noFile(value))
  return `${at === 0 ? '' : `${value.slice(0, at)}=`}${encodeURIComponent(value.slice(at + 1))}`
}

/** Encodes a member of a multipart form. Without files, it becomes one of a URL-encoded form. */
const formMember = (member: string): string => {
  const at = member.indexOf('=')
  if (at < 1) throw new CurlProblem(`The member ${JSON.stringify(member.slice(0, 60))} of the form has no =`)
  return `${encodeURIComponent(member.slice(0, at))}=${encodeURIComponent(member.slice(at + 1))}`
}

/** The same for `-F`, whose values can name files, and end with a type. */
const formField = (member: string): string => {
  if (/^[^=]*=[@<]/.test(member)) throw new CurlProblem('Files in forms (-F) cannot be sent. Leave them out')
  return formMember(member.replace(/;type=[\w/.+-]*$/, ''))
}

type Gathered = CurlCommand & {
  parts: string[]
  queries: string[]
  isGet: boolean
  isJson: boolean
  isForm: boolean
  given: string
}

const readHeader = (value: string): readonly [string, string] => {
  const at = value.indexOf(':')
  if (at < 1) throw new CurlProblem(`The header ${JSON.stringify(noFile(value).slice(0, 60))} has no colon`)
  return [value.slice(0, at).trim(), value.slice(at + 1).trim()]
}

/** What each option that counts does. */
const uses: Readonly<Record<string, (to: Gathered, value: string) => unknown>> = {
  request: (to, value) => (to.given = value.toUpperCase()),
  header: (to, value) => to.headers.push(readHeader(value)),
  data: (to, value) => to.parts.push(noFile(value)),
  'data-ascii': (to, value) => to.parts.push(noFile(value)),
  'data-raw': (to, value) => to.parts.push(value),
  'data-binary': (to, value) => to.parts.push(noFile(value)),
  'data-urlencode': (to, value) => to.parts.push(urlEncoded(value)),
  json: (to, value) => {
    to.parts.push(noFile(value))
    to.isJson = true
  },
  form: (to, value) => {
    to.parts.push(formField(value))
    to.isForm = true
  },
  'form-string': (to, value) => {
    to.parts.push(formMember(value))
    to.isForm = true
  },
  'url-query': (to, value) => to.queries.push(urlEncoded(value)),
  user: (to, value) => (to.user = value),
  cookie: (to, value) => to.headers.push(['Cookie', value]),
  'oauth2-bearer': (to, value) => to.headers.push(['Authorization', `Bearer ${value}`]),
  get: (to) => (to.isGet = true),
  url: (to, value) => {
    if (to.url !== '') throw new CurlProblem(`There are two URLs: ${to.url} and ${value.slice(0, 100)}`)
    to.url = value
  },
}

const windows = /\^\s*\n|\^"|(?:^|\s)curl\.exe\s|`\s*\n/

/**
 * Reads a cURL command, and returns the request that it sends. Options that change nothing of it are left out. A
 * multipart form becomes a URL-encoded one. Throws CurlProblem, with a sentence for the user, if it is no such command
 * or sends what cannot be described.
 */
export const readCurl = (text: string): CurlCommand => {
  if (text.trim() === '') throw new CurlProblem('Paste a cURL command')
  if (windows.test(text.replaceAll('\r\n', '\n')))
    throw new CurlProblem('This is a command for Windows. Copy it as cURL for bash, or write \\ in place of ^ or `')
  const [program = '', ...words] = shellWords(text)
  if (!/(^|\/)curl$/.test(program)) throw new CurlProblem('The command does not begin with curl')
  const to: Gathered = {
    method: '',
    url: '',
    headers: [],
    body: '',
    user: undefined,
    parts: [],
    queries: [],
    isGet: false,
    isJson: false,
    isForm: false,
    given: '',
  }
  for (const [name, value] of optionsOf(words)) {
    const use = uses[name]
    if (use !== undefined) use(to, value)
    else if (!flags.has(name) && !ignored.has(name))
      throw new CurlProblem(`The option --${name.slice(0, 40)} is not understood. Remove it`)
  }
  if (to.url === '') throw new CurlProblem('The command has no URL')
  const inQuery = [...(to.isGet ? to.parts : []), ...to.queries].join('&')
  const body = to.isGet ? '' : to.parts.join(to.isJson ? '' : '&')
  const url = inQuery === '' ? to.url : `${to.url}${to.url.includes('?') ? '&' : '?'}${inQuery}`
  if (to.isJson) to.headers.push(['Content-Type', 'application/json'])
  else if (to.isForm) to.headers.push(['Content-Type', 'application/x-www-form-urlencoded'])
  const method = to.given === '' ? (to.parts.length > 0 && !to.isGet ? 'POST' : 'GET') : to.given
  return { method, url, headers: to.headers, body, user: to.user }
}
