import { describe, expect, test } from 'vitest'
import { settingOption as option } from '../../testing/setting-option.ts'
import { ApiError } from '../api/errors.ts'
import { settingFailure } from './setting-failure.ts'
import {
  defaultSettings,
  filledSettings,
  isShown,
  secretsToEnterAgain,
  settingHint,
  settingProblem,
} from './setting-values.ts'

test('a URL setting accepts only web URLs, and shows "Invalid url" for any other text (FORM-22)', () => {
  for (const text of ['javascript:alert(1)', 'mailto:a@b.co', 'ftp://example.com', 'example.com', 'http://', '//a'])
    expect(settingProblem(option({ type: 'url' }), text), text).toBe('Invalid url')
  for (const text of ['https://example.com/a', 'http://127.0.0.1:9/'])
    expect(settingProblem(option({ type: 'url' }), text), text).toBeUndefined()
})

test.each([
  [option({ required: true }), '', 'Required'],
  [option({ required: true }), null, 'Required'],
  [option({ required: true, type: 'headers' }), {}, 'Required'],
  [option({}), '', undefined],
  [option({ type: 'number' }), '12a', 'Only numbers are allowed'],
  [option({ type: 'number' }), 12, undefined],
  [option({ type: 'number', min: 1, max: 1000 }), 0, 'At least 1'],
  [option({ type: 'number', min: 1, max: 1000 }), 1, undefined],
  [option({ type: 'number', min: 1, max: 1000 }), 1000, undefined],
  [option({ type: 'number', min: 1, max: 1000 }), '1001', 'At most 1,000'],
  [option({ type: 'boolean', required: true }), false, undefined],
])('the setting %o with the value %j has the problem: %s', (setting, value, problem) => {
  expect(settingProblem(setting, value)).toBe(problem)
})

test.each([
  [option({ help_text: 'How many.' }), 'How many.'],
  [option({ min: 1 }), undefined],
  [option({ type: 'number', help_text: 'How many.', min: 0, max: 100 }), 'How many. From 0 to 100.'],
  [option({ type: 'number', min: 1 }), 'At least 1.'],
  [option({ type: 'number', max: 9 }), 'At most 9.'],
])('the setting %o is explained with %j', (setting, hint) => {
  expect(settingHint(setting)).toBe(hint)
})

test('a form starts with the defaults and sends the filled-in values', () => {
  const options = [
    option({}),
    option({ name: 'method', default: 'POST' }),
    option({ name: 'headers', type: 'headers' }),
    option({ name: 'on', type: 'boolean' }),
  ]
  const values = defaultSettings(options)
  expect(values).toEqual({ url: '', method: 'POST', headers: {}, on: false })
  expect(filledSettings(options, values)).toEqual({ method: 'POST', on: false })
})

describe('a setting that applies only while another has a value', () => {
  const options = [
    option({ name: 'on', type: 'boolean' }),
    option({ name: 'size', type: 'number', required: true, show_when: { name: 'on', value: true } }),
  ]
  test.each([
    [{ on: true, size: 'x' }, true, { on: true, size: 'x' }],
    [{ on: false, size: 'x' }, false, { on: false }],
  ])('a setting that depends on %j is shown: %s', (settings, shown, sent) => {
    expect(options.map((each) => isShown(each, settings))).toEqual([true, shown])
    expect(filledSettings(options, settings)).toEqual(sent)
  })
})

test('a failed setting shows the message and the detail for its value, or otherwise its own name', () => {
  const refusal = (metadata: Record<string, string>) => settingFailure(new ApiError(400, { metadata }, ''), 'url')
  expect(refusal({ value: 'bad' })).toEqual({ message: 'bad' })
  expect(refusal({ value: 'bad', detail: 'at 7' })).toEqual({ message: 'bad', detail: 'at 7' })
  expect(refusal({ value: 'bad', detail: '' })).toEqual({ message: 'bad' })
  expect(refusal({ detail: 'at 7' })).toEqual({ message: 'Failed to update the url.' })
  expect(settingFailure(new Error('x'), 'url')).toEqual({ message: 'Failed to update the url.' })
})

test.each([
  ['https://a.example/hook', false],
  ['https://A.example:443/other?x=1', false],
  ['http://a.example/hook', true],
  ['https://b.example/hook', true],
  ['https://a.example.b.example/hook', true],
  ['', true],
])('headers that are sent to https://a.example/ must be entered again at %s: %j', (draft, asked) => {
  const url = { ...option({ name: 'url', type: 'url' }), value: 'https://a.example/', is_set: true }
  const headers = {
    ...option({ name: 'headers', is_secret: true, sent_to: [{ name: 'url', by: 'origin' }] }),
    value: null,
  }
  expect(secretsToEnterAgain([url, { ...headers, is_set: true }], url, draft)).toHaveLength(asked ? 1 : 0)
  expect(secretsToEnterAgain([url, { ...headers, is_set: false }], url, draft)).toEqual([])
})

test('the error of a secret that was sent together with a setting is shown at the setting', () => {
  const refused = new ApiError(400, { reason: 'VALIDATION', metadata: { 'secrets.password': 'Too long' } }, 'refused')
  expect(settingFailure(refused, 'host')).toEqual({ message: 'Too long' })
})
