// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { renderUi } from '../../testing/render.tsx'
import { WithCode } from './with-code.tsx'

test.each([
  ['Send `userId` or `anonymousId`.', 'Send <code>userId</code> or <code>anonymousId</code>.'],
  ['A lone ` stays', 'A lone ` stays'],
  ['`<b>x</b>` and **no** markup', '<code>&lt;b&gt;x&lt;/b&gt;</code> and **no** markup'],
])('in %j, the text between backticks is code, and all other text is plain', (text, html) => {
  const { container } = renderUi(<WithCode text={text} />)
  expect(container.innerHTML.replaceAll(/ class="[^"]*"/g, '')).toBe(html)
})
