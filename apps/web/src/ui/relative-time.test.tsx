// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { renderUi } from '../testing/render.tsx'
import { RelativeTime } from './relative-time.tsx'

const minutes = (count: number): string => new Date(Date.now() + count * 60_000 + 1000).toISOString()

test.each([
  ['what is due later says when', minutes(50), { upcoming: true, past: 'Due' }, /^in 50 min/],
  ['a time that was due is not shown as a past event', minutes(-10), { upcoming: true, past: 'Due' }, /^Due$/],
  ['a moment of a clock that is ahead is now', minutes(50), {}, /^now$/],
])('%s', (_title, time, props, words) => {
  const { container } = renderUi(<RelativeTime time={time} {...props} />)
  expect(container.textContent).toMatch(words)
  expect(container.querySelector('time')?.title).toContain('UTC')
})
