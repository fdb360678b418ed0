import { descriptionOfCurl, maxCurlCharacters } from '@tributary/contract'
import { expect, test } from 'vitest'
import { readOwn } from './read-own.ts'
import { runVectors } from './run-vectors.ts'
import { curlCommands } from './testing-curl.ts'

const described = (command: string) => {
  const reading = descriptionOfCurl(command)
  if (!reading.ok) throw new Error(reading.message)
  const own = readOwn({ description: reading.description, guide: '' }, 'own-1-1')
  if (!own.ok) throw new Error(JSON.stringify(own.problems))
  return { ...own, text: reading.description, title: reading.title, whole: JSON.parse(reading.description) }
}

const event = {
  type: 'track',
  event: 'Signed Up',
  messageId: 'm1',
  userId: 'u1',
  timestamp: '2026-01-02T03:04:05.000Z',
  properties: { plan: 'pro' },
  context: { traits: { email: 'ada@example.com' } },
}

test.each(curlCommands)(
  'the command of %s becomes a description that sends the same request',
  async (_, command, settings, sent) => {
    const { definition, whole } = described(command)
    const text = JSON.stringify({
      ...whole,
      vectors: { settings, requests: [{ name: 'it', events: [event], requests: [sent] }] },
    })
    expect(await runVectors(text, definition)).toEqual([
      expect.objectContaining({ ok: true, expected: '', actual: '' }),
    ])
  },
)

test('placeholders become settings, and a host of an account has a label', () => {
  const { whole } = described(
    `curl https://{subdomain}.zendesk.com/api/v2/users/{user_id}.json -u {email}/token:{api_token} -d '{"a": 1}' -X PUT`,
  )
  expect(whole.servers.api).toEqual({ setting: 'subdomain', host: '{}.zendesk.com' })
  expect(whole.requests.send).toMatchObject({ method: 'PUT', path: '/api/v2/users/{{ settings.user_id }}.json' })
  expect(whole.auth.default).toEqual([
    { in: 'basic', user: { setting: 'user_name' }, password: { setting: 'password' } },
  ])
})

test('placeholders need no quotes, and a file is still none', () => {
  const { whole } = described(
    'curl https://api.telegram.org/bot<YOURTOKEN>/sendMessage -d chat_id=<chat-id> -d text=Hi',
  )
  expect(whole.settings.yourtoken).toMatchObject({ type: 'secret' })
  expect(whole.auth.default).toEqual([{ in: 'path', setting: 'yourtoken', at: 'bot{}' }])
  expect(whole.requests.send.path).toBe('/{auth}/sendMessage')
  const reading = descriptionOfCurl('curl https://a.example -d x <body.json')
  expect(reading.ok ? '' : reading.message).toMatch(/reads a file/)
})

test('no secret of a command is in the description', () => {
  const { text } = described(
    `curl -u 'key-hidden-1:' 'http://127.0.0.1:9/a?api_key=key-hidden-2&v=1' -H 'X-Auth-Token: key-hidden-3' --json '{"secret":"key-hidden-4","a":true}'`,
  )
  expect(text).not.toContain('hidden')
})

test('data with -G is the query, and each part of it is a field', () => {
  const { whole } = described(`curl -G https://api.example.com/track -d event=Test --data-urlencode 'label=a b' | jq .`)
  expect(whole.requests.send).toEqual({
    method: 'GET',
    server: 'api',
    path: '/track',
    query: { event: '{{ event }}', label: '{{ label }}' },
  })
  expect(whole.actions.send.fields.label.from).toEqual({ type: 'CONSTANT', value: 'a b' })
})

test.each([
  ['', /Paste/],
  ['wget https://a.example', /begin with curl/],
  ['curl', /no URL/],
  ['curl -F a=b -F c=@d.png https://a.example', /Files/],
  ['curl -F "a=<b.txt" https://a.example', /Files/],
  ['curl -F a https://a.example', /has no =/],
  // http://developer.postmarkapp.com/developer-build.html has a body that is JavaScript.
  [
    'curl -X POST "http://api.postmarkapp.com/email" -H "Content-Type: application/json" -v -d "{From: \'a@b.c\'}"',
    /no JSON/,
  ],
  ['curl https://a.example -d @file.json', /file/],
  ['curl "https://a.example" ^\n -H "a: b"', /Windows/],
  ['curl https://a.example?a=1&b=2', /quotes/],
  ["curl 'https://a.example", /not closed/],
  ['curl https://a.example --unheard-of', /not understood/],
  ['curl https://a.example -d "$(cat x)"', /another command/],
  ['curl https://a.example -H "Content-Type: application/xml" -d "<a/>"', /application\/xml/],
  [`curl https://a.example --json '{"a":'`, /no JSON/],
  ['curl ftp://a.example/x', /URL/],
  ['curl https://a:b@a.example/', /-u/],
  ['curl -I https://a.example', /HEAD/],
  ['curl https://a.example; rm x', /more than one/],
  [`curl https://a.example --json '${'['.repeat(20_000)}${']'.repeat(20_000)}'`, /deep/],
  ['curl '.padEnd(maxCurlCharacters + 1, 'x'), /64 KB/],
])('the command %j is refused with a sentence', (command, message) => {
  const reading = descriptionOfCurl(command)
  expect(reading.ok ? '' : reading.message).toMatch(message)
})

test('a long command of many words, quotes, and lines is read at once', () => {
  for (const part of [' \\\n-s', " ''", '\n-s', ' "a"', "$'\\x41'", '%', '{', '&a=1'])
    descriptionOfCurl(`curl 'https://a.example/' ${part.repeat(Math.floor(60_000 / part.length))}`)
})

test('a multipart form without files becomes a URL-encoded form, and keeps its texts', () => {
  const { whole } = described(
    `curl -H 'Content-Type: multipart/form-data' -F 'text=a & b=c;d;type=text/plain' --form-string 'note=@home' https://a.example`,
  )
  expect(whole.requests.send).toEqual({ method: 'POST', server: 'api', path: '/', encoding: 'form' })
  const { text, note } = whole.actions.send.fields
  expect([text.from.value, note.from.value]).toEqual(['a & b=c;d', '@home'])
})

test('a secret inside an object of the body is not in the description', () => {
  const text = `curl https://api.vendor.example/v1 -H 'X-Api-Key: s3cr3t-1' --json '{"user":{"auth":{"token":"s3cr3t-2"}}}'`
  const made = descriptionOfCurl(text)
  expect(JSON.stringify(made)).toContain('user')
  expect(JSON.stringify(made)).not.toMatch(/s3cr3t-[12]/)
})
