// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { actsAt, createShortcutReader, isApple, paletteKeys, placeOf } from './key-presses.ts'

const press = (key: string, held: { alt?: true; ctrl?: true; meta?: true; composing?: true; repeat?: true } = {}) => ({
  key,
  altKey: held.alt === true,
  ctrlKey: held.ctrl === true,
  metaKey: held.meta === true,
  isComposing: held.composing === true,
  repeat: held.repeat === true,
})

test('g and a letter within a second and a half open a page, and only as a pair', () => {
  const read = createShortcutReader(false)
  expect(read(press('g'), 0)).toBeUndefined()
  expect(read(press('s'), 1500)).toEqual({ type: 'go', letter: 's' })
  expect(read(press('s'), 1600)).toBeUndefined()
  expect(read(press('g'), 2000)).toBeUndefined()
  expect(read(press('d'), 3501)).toBeUndefined()
  read(press('g'), 4000)
  read(press('Escape'), 4001)
  expect(read(press('d'), 4002)).toBeUndefined()
  read(press('g'), 5000)
  expect(read(press('?'), 5001)).toEqual({ type: 'list' })
})

test('a plain key with a modifier, held down, or from an input method is not a shortcut', () => {
  const read = createShortcutReader(false)
  for (const held of [{ ctrl: true }, { meta: true }, { alt: true }, { repeat: true }, { composing: true }] as const)
    for (const key of ['/', '?']) expect(read(press(key, held), 0)).toBeUndefined()
  read(press('g', { ctrl: true }), 0)
  expect(read(press('s'), 1)).toBeUndefined()
  read(press('g'), 2)
  expect(read(press('s', { alt: true }), 3)).toBeUndefined()
})

test('the palette opens with ⌘K on Apple machines and with Ctrl K on others, without further modifiers', () => {
  const [apple, other] = [createShortcutReader(true), createShortcutReader(false)]
  expect(apple(press('k', { meta: true }), 0)).toEqual({ type: 'palette' })
  expect(apple(press('k', { ctrl: true }), 0)).toBeUndefined()
  expect(other(press('k', { ctrl: true }), 0)).toEqual({ type: 'palette' })
  expect(other(press('k', { meta: true }), 0)).toBeUndefined()
  expect(other(press('k', { ctrl: true, alt: true }), 0)).toBeUndefined()
  expect(other(press('k'), 0)).toBeUndefined()
  expect(['MacIntel', 'iPad', 'Linux x86_64', 'Win32'].map(isApple)).toEqual([true, true, false, false])
  expect(['MacIntel', 'Win32'].map(paletteKeys)).toEqual(['⌘K', 'Ctrl K'])
})

test('no shortcut works while typing, in editors, or in dialogs, except the palette in a text field', () => {
  document.body.innerHTML = `
    <main><input type="search" data-place="line"><input type="checkbox" data-place="page"><select data-place="line"></select>
      <textarea data-place="editor"></textarea><div contenteditable="true" data-place="editor"></div>
      <div role="textbox" data-place="editor"></div><button role="combobox" data-place="line"></button><button data-place="page"></button></main>
    <div role="dialog"><button data-place="overlay"></button><input data-place="overlay"></div>
    <section role="dialog" aria-modal="false"><button data-place="page"></button><input data-place="line"></section>
    <div role="menu"><span data-place="overlay"></span></div>`
  for (const element of document.querySelectorAll<HTMLElement>('[data-place]'))
    expect(placeOf(element, document), element.outerHTML).toBe(element.dataset.place)
  expect(placeOf(document.body, document)).toBe('page')
  document.body.insertAdjacentHTML('beforeend', '<div data-base-ui-inert></div>')
  expect(placeOf(document.body, document)).toBe('overlay')
  const palette = { type: 'palette' } as const
  expect((['editor', 'line', 'overlay', 'page'] as const).filter((place) => actsAt(palette, place))).toEqual([
    'line',
    'page',
  ])
  for (const shortcut of [{ type: 'search' }, { type: 'list' }, { type: 'go', letter: 's' }] as const)
    expect((['editor', 'line', 'overlay', 'page'] as const).filter((place) => actsAt(shortcut, place))).toEqual([
      'page',
    ])
})
