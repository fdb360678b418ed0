/** The fields of a key press that decide whether it is a shortcut. */
type Press = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'isComposing' | 'repeat'>

/** The action of a shortcut. */
export type Shortcut = { type: 'palette' } | { type: 'search' } | { type: 'list' } | { type: 'go'; letter: string }

/** Time limit of the letter after `g` (ms). */
const sequenceMs = 1500

/** True on machines whose commands are on ⌘ instead of Ctrl; `platform` is the navigator's. */
export const isApple = (platform: string): boolean => /^(Mac|iPhone|iPad|iPod)/.test(platform)

/** How the keys that open the command palette are written on this machine. */
export const paletteKeys = (platform: string): string => (isApple(platform) ? '⌘K' : 'Ctrl K')

/**
 * Reads shortcuts from key presses; times are ms. `apple` says which modifier opens the palette: the other one is left to
 * the system and to editors. Presses with any further modifier, held keys and those of an input method are no shortcuts.
 */
export const createShortcutReader = (apple: boolean): ((press: Press, now: number) => Shortcut | undefined) => {
  let begun = Number.NEGATIVE_INFINITY
  return (press, now) => {
    const follows = now - begun <= sequenceMs
    begun = Number.NEGATIVE_INFINITY
    if (press.isComposing || press.repeat || press.altKey) return undefined
    const key = press.key.toLowerCase()
    const [own, other] = apple ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey]
    if (own || other) return own && !other && key === 'k' ? { type: 'palette' } : undefined
    if (press.key === '?') return { type: 'list' }
    if (follows && /^[a-z]$/.test(press.key)) return { type: 'go', letter: press.key }
    if (press.key === '/') return { type: 'search' }
    if (press.key === 'g') begun = now
    return undefined
  }
}

const editors = 'textarea, [contenteditable]:not([contenteditable="false"]), [role="textbox"]'
const lines =
  'select, [role="combobox"], [role="searchbox"], [role="spinbutton"], input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"], [type="reset"], [type="range"])'
// A dialog that says it is not modal is a part of the page.
const overlays =
  '[role="dialog"]:not([aria-modal="false"]), [role="alertdialog"], [role="menu"], [role="listbox"], [role="application"]'

/** Where a press was made: in one of several lines or an editor, in one line of text, over the page, or on the page. */
export type Place = 'editor' | 'line' | 'overlay' | 'page'

/** Where on the page the keyboard is. A dialog that makes the page inert is the place even when nothing in it has the focus. */
export const placeOf = (target: EventTarget | null, page: ParentNode): Place => {
  const element = target instanceof Element ? target : null
  if (element !== null && element.closest(overlays) !== null) return 'overlay'
  if (page.querySelector('[data-base-ui-inert]') !== null) return 'overlay'
  if (element === null) return 'page'
  if (element.closest(editors) !== null) return 'editor'
  return element.closest(lines) === null ? 'page' : 'line'
}

/** Whether a shortcut acts there: the palette also from a line of text, which it takes no character from; the others on the page only. */
export const actsAt = (shortcut: Shortcut, place: Place): boolean =>
  place === 'page' || (place === 'line' && shortcut.type === 'palette')
