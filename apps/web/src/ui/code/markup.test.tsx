// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { markupText } from '../../lib/format/markup.ts'
import { renderUi } from '../../testing/render.tsx'
import { Markup } from './markup.tsx'

const shown = (text: string): HTMLElement => {
  const { container } = renderUi(<Markup text={text} />)
  return container.firstElementChild as HTMLElement
}

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror="alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](vbscript:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](&#106;avascript:alert(1))',
  '[x](//evil.example)',
  '![x](https://evil.example/a.png)',
  '<iframe src="https://evil.example"></iframe>',
  '<svg><animate onbegin=alert(1)>',
])('FORM-01: the text %j results in no active content', (text) => {
  const elements = [...shown(text).querySelectorAll('*')]
  expect(elements.map(({ tagName }) => tagName).filter((tag) => !/^(P|A|BR)$/.test(tag))).toEqual([])
  for (const element of elements)
    for (const { name, value } of element.attributes) {
      expect(['class', 'href', 'target', 'rel']).toContain(name)
      if (name === 'href') expect(value).toMatch(/^(https?|mailto):/)
    }
})

test('FORM-01: paragraphs, bold, italics, code, and lists are shown', () => {
  const text = 'One **bold** _word_ and `code`.\n\n- first\n- second'
  expect(shown(text).innerHTML.replaceAll(/ class="[^"]*"/g, '')).toBe(
    '<p>One <strong>bold</strong> <em>word</em> and <code>code</code>.</p><ul><li>first</li><li>second</li></ul>',
  )
})

test('FORM-02, FORM-03: a link opens in a new tab and is marked nofollow', () => {
  shown('See [the documentation](https://example.com/docs).')
  const link = screen.getByRole('link', { name: 'the documentation' })
  expect(link.getAttribute('href')).toBe('https://example.com/docs')
  expect(link.getAttribute('target')).toBe('_blank')
  expect(link.getAttribute('rel')?.split(' ').sort()).toEqual(['nofollow', 'noopener'])
})

test('FORM-04: a line break is kept', () => {
  expect(shown('a\nb').innerHTML).toBe('<p>a<br>b</p>')
})

test('a description is shown as plain text where markup is not possible', () => {
  expect(markupText('One **bold**\n[link](https://example.com) and `code`')).toBe('One bold link and code')
})
