import { describe, expect, expectTypeOf, it } from 'vitest'
import { defineSettings, type SettingsOf, setting } from './setting.ts'
import { validatePartialSettings, validateSettings } from './settings.ts'

const described = { label: 'label', help: 'help' }
const definition = {
  settings: defineSettings({
    url: setting.url({ ...described, required: true }),
    method: setting.choice({
      ...described,
      default: 'POST',
      choices: [
        { value: 'POST', label: 'POST' },
        { value: 'PUT', label: 'PUT' },
      ],
    }),
    headers: setting.headers(described),
    size: setting.number({ ...described, min: 1, max: 1000, default: 100 }),
    on: setting.toggle({ ...described, default: false }),
    key: setting.secret({ ...described, maxLength: 8 }),
  }),
  check: (settings: Readonly<Record<string, unknown>>): Record<string, string> =>
    settings.on === true && settings.key === undefined ? { key: 'Required when on' } : {},
}
const url = 'https://example.com/hook'

describe('valid settings', () => {
  it('valid settings are returned parsed, with defaults for absent ones', () => {
    expect(validateSettings(definition, { url, headers: { 'X-A': 'b' } })).toEqual({
      ok: true,
      settings: { url, method: 'POST', headers: { 'X-A': 'b' }, size: 100, on: false },
    })
  })

  it.each([
    ['lines', 'X-A: b\nX-C: d: e\n'],
    [
      'a list',
      [
        { name: 'X-A', value: 'b' },
        { name: 'X-C', value: 'd: e' },
      ],
    ],
    ['an object', { 'X-A': 'b', 'X-C': 'd: e' }],
  ])('valid settings may contain headers as %s', (_name, headers) => {
    expect(validateSettings(definition, { url, headers })).toMatchObject({
      settings: { headers: { 'X-A': 'b', 'X-C': 'd: e' } },
    })
  })
})

describe('invalid settings are rejected with a message at the field', () => {
  it.each([
    ['url', {}, 'Required'],
    ['url', { url: '' }, 'Required'],
    ['url', { url: 'ftp://example.com' }, 'https://'],
    ['url', { url: 'https://user:pass@example.com' }, 'credentials'],
    ['url', { url: 'hook' }, 'https://'],
    ['url', { url: `https://example.com/${'a'.repeat(2048)}` }, '2,048'],
    ['method', { url, method: 'DELETE' }, 'POST, PUT'],
    ['size', { url, size: 0 }, 'At least 1'],
    ['size', { url, size: 1001 }, 'At most 1000'],
    ['size', { url, size: 1.5 }, 'whole'],
    ['size', { url, size: 'many' }, 'number'],
    ['on', { url, on: 'yes' }, 'yes or no'],
    ['key', { url, key: 'a'.repeat(9) }, '8 characters'],
    ['key', { url, on: true }, 'Required when on'],
    ['colour', { url, colour: 'red' }, 'Unknown'],
    ['headers', { url, headers: { 'X-A': 'b\r\nX-Evil: 1' } }, 'not allowed in a header'],
    ['headers', { url, headers: { 'X-A': 'b\0' } }, 'not allowed in a header'],
    ['headers', { url, headers: { 'X-A': 'snow ☃' } }, 'not allowed in a header'],
    ['headers', { url, headers: { 'X A': 'b' } }, 'not a header name'],
    ['headers', { url, headers: { '': 'b' } }, 'not a header name'],
    ['headers', { url, headers: { 'Transfer-Encoding': 'chunked' } }, "can't be set"],
    ['headers', { url, headers: { Host: 'inner' } }, "can't be set"],
    ['headers', { url, headers: { connection: 'close' } }, "can't be set"],
    ['headers', { url, headers: { 'X-A': '1', 'x-a': '2' } }, 'twice'],
    ['headers', { url, headers: 'X-A' }, 'not allowed in a header'],
    ['headers', { url, headers: 5 }, 'names and values'],
  ])('invalid settings with %s are rejected: %j', (name, settings, text) => {
    const result = validateSettings(definition, settings)
    expect(result.ok).toBe(false)
    if (!result.ok) expect(result.errors[name]).toContain(text)
  })

  it.each([null, 'x', []])('%j is rejected, because it is not a settings object', (settings) => {
    expect(validateSettings(definition, settings)).toEqual({
      ok: false,
      errors: { settings: 'Settings must be an object' },
    })
  })
})

describe('incomplete settings', () => {
  it('incomplete settings report what is missing, and keep the given values', () => {
    expect(validatePartialSettings(definition, { size: 5 })).toEqual({
      ok: true,
      settings: { method: 'POST', size: 5, on: false },
      missing: ['url'],
    })
    expect(validatePartialSettings(definition, { url })).toMatchObject({ ok: true, missing: [] })
  })

  it('incomplete settings do not get an unchangeable default until nothing is missing', () => {
    const region = setting.text({ ...described, editable: false, default: 'eu' })
    const final = { settings: defineSettings({ url: setting.url({ ...described, required: true }), region }) }
    const of = (settings: object) => validatePartialSettings(final, settings)
    expect(of({})).toEqual({ ok: true, settings: {}, missing: ['url'] })
    expect(of({ region: 'us' })).toEqual({ ok: true, settings: { region: 'us' }, missing: ['url'] })
    expect(of({ url })).toEqual({ ok: true, settings: { url, region: 'eu' }, missing: [] })
  })

  it.each([
    [{ size: 0 }, { size: 'At least 1' }],
    [{ colour: 'red' }, { colour: 'Unknown setting' }],
    // A rule that spans fields applies to given values, even if others are missing.
    [{ on: true }, { key: 'Required when on' }],
  ])('incomplete settings %j are still rejected', (settings, errors) => {
    expect(validatePartialSettings(definition, settings)).toEqual({ ok: false, errors })
  })
})

describe('a setting', () => {
  it('a setting has the form field that its schema describes', () => {
    expect(definition.settings.fields.map(({ label: _label, help: _help, ...field }) => field)).toEqual([
      { name: 'url', type: 'url', required: true, editable: true, secret: false },
      {
        name: 'method',
        type: 'select',
        required: false,
        editable: true,
        secret: false,
        default: 'POST',
        choices: [
          { value: 'POST', label: 'POST' },
          { value: 'PUT', label: 'PUT' },
        ],
      },
      { name: 'headers', type: 'headers', required: false, editable: true, secret: true },
      { name: 'size', type: 'number', required: false, editable: true, secret: false, default: 100, min: 1, max: 1000 },
      { name: 'on', type: 'boolean', required: false, editable: true, secret: false, default: false },
      { name: 'key', type: 'secret', required: false, editable: true, secret: true, maxLength: 8 },
    ])
  })

  it('a setting has the type of its values, without undefined if there is always a value', () => {
    type Values = SettingsOf<typeof definition.settings>
    expectTypeOf<Values>().toEqualTypeOf<{
      readonly url: string
      readonly method: 'POST' | 'PUT'
      readonly headers: Readonly<Record<string, string>> | undefined
      readonly size: number
      readonly on: boolean
      readonly key: string | undefined
    }>()
  })
})
