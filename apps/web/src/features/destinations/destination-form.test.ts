import type { SettingValue } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { settingOption as option } from '../../testing/setting-option.ts'
import { destinationForm } from './destination-form.ts'

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
  ])(
    'DST-06, DST-08, FORM-31, FORM-39: for title %j and url %j, the form of a new destination shows: %s',
    (title, url, message) => {
      expect(messages(title, url)).toContain(message)
    },
  )
  test('the form of a new destination accepts complete values', () => {
    expect(messages('abcd', 'https://x.example')).toEqual([])
  })
})

test('a setting that does not apply is not validated', () => {
  const options = [
    option({ name: 'on', type: 'boolean' }),
    option({ name: 'size', type: 'number', required: true, show_when: { name: 'on', value: true } }),
  ]
  const problems = (settings: Record<string, SettingValue>): number =>
    destinationForm(options).safeParse({ title: 'Title', settings, sources: [] }).error?.issues.length ?? 0
  expect([problems({ on: true, size: 'x' }), problems({ on: false, size: 'x' })]).toEqual([1, 0])
})
