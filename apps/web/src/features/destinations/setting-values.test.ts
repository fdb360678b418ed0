import type { SettingOption, SettingValue } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../lib/errors.ts'
import { settingFailure } from './setting-failure.ts'
import {
  defaultSettings,
  destinationForm,
  filledSettings,
  isShown,
  settingHint,
  settingProblem,
} from './setting-values.ts'

const option = (part: Partial<SettingOption>): SettingOption => ({
  name: 'url',
  display_name: 'URL',
  help_text: '',
  type: 'string',
  required: false,
  default: null,
  editable: true,
  is_secret: false,
  choices: [],
  min: null,
  max: null,
  show_when: null,
  ...part,
})

test.each([
  [option({ required: true }), '', 'Required'],
  [option({ required: true }), null, 'Required'],
  [option({ required: true, type: 'headers' }), {}, 'Required'],
  [option({}), '', undefined],
  [option({ type: 'url' }), 'https://example.com/a', undefined],
  [option({ type: 'url' }), 'javascript:alert(1)', 'Invalid url'],
  [option({ type: 'url' }), 'example.com', 'Invalid url'],
  [option({ type: 'number' }), '12a', 'Only numbers are allowed'],
  [option({ type: 'number' }), 12, undefined],
  [option({ type: 'number', min: 1, max: 1000 }), 0, 'At least 1'],
  [option({ type: 'number', min: 1, max: 1000 }), 1, undefined],
  [option({ type: 'number', min: 1, max: 1000 }), 1000, undefined],
  [option({ type: 'number', min: 1, max: 1000 }), '1001', 'At most 1000'],
  [option({ type: 'boolean', required: true }), false, undefined],
])('%o with %j: %s', (setting, value, problem) => {
  expect(settingProblem(setting, value)).toBe(problem)
})

test.each([
  [option({ help_text: 'How many.' }), 'How many.'],
  [option({ min: 1 }), undefined],
  [option({ type: 'number', help_text: 'How many.', min: 0, max: 100 }), 'How many. From 0 to 100.'],
  [option({ type: 'number', min: 1 }), 'At least 1.'],
  [option({ type: 'number', max: 9 }), 'At most 9.'],
])('%o is explained with %j', (setting, hint) => {
  expect(settingHint(setting)).toBe(hint)
})

test('a form starts with the defaults and sends what is filled', () => {
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

describe('a setting that is asked for only while another has a value', () => {
  const options = [
    option({ name: 'on', type: 'boolean' }),
    option({ name: 'size', type: 'number', required: true, show_when: { name: 'on', value: true } }),
  ]
  const problems = (settings: Record<string, SettingValue>): number =>
    destinationForm(options).safeParse({ title: 'Title', settings, sources: [] }).error?.issues.length ?? 0
  test.each([
    [{ on: true, size: 'x' }, true, 1, { on: true, size: 'x' }],
    [{ on: false, size: 'x' }, false, 0, { on: false }],
  ])('%j: shown %s, problems %i', (settings, shown, count, sent) => {
    expect(options.map((each) => isShown(each, settings))).toEqual([true, shown])
    expect(problems(settings)).toBe(count)
    expect(filledSettings(options, settings)).toEqual(sent)
  })
})

describe('the form of a new destination', () => {
  const form = destinationForm([option({ type: 'url', required: true })])
  const messages = (title: string, url: string): string[] =>
    form
      .safeParse({ title, settings: { url }, sources: [] })
      .error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []
  test.each([
    ['', 'https://x.example', 'title: Required'],
    ['abc', 'https://x.example', 'title: At least 4 characters'],
    ['abcd', '', 'settings.url: Required'],
  ])('FORM-31, FORM-39: title %j and url %j: %s', (title, url, message) => {
    expect(messages(title, url)).toContain(message)
  })
  test('takes what is complete', () => {
    expect(messages('abcd', 'https://x.example')).toEqual([])
  })
})

test('a setting that could not be changed shows the message for its value, else names the setting', () => {
  expect(settingFailure(new ApiError(400, { metadata: { value: 'bad' } }, ''), 'url')).toBe('bad')
  expect(settingFailure(new ApiError(400, { metadata: {} }, ''), 'url')).toBe('Failed to update the url.')
  expect(settingFailure(new Error('x'), 'url')).toBe('Failed to update the url.')
})
