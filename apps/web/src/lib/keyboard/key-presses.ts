/** The fields of a key press that decide whether it is a shortcut. */
type Press = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'isComposing' | 'repeat'>

/** The action of a shortcut. */
export type Shortcut = { type: 'palette' } | { type: 'search' } | { type: 'list' } | { type: 'go'; letter: string }

/** Maximum time in ms between `g` and the letter after it. */
const sequenceMs = 1500

/** True on machines whose command key is ⌘ instead of Ctrl; `platform` is that of the navigator. */
export const isApple = (platform: string): boolean => /^(Mac|iPhone|iPad|iPod)/.test(platform)

/** Returns the keys that open the command palette, as they are written on this machine. */
export const paletteKeys = (platform: string): string => (isApple(platform) ? '⌘K' : 'Ctrl K')

/**
 * Creates a function that recognizes shortcuts in key presses; times are in ms. `apple` decides which modifier opens
 * the palette. The other modifier is left to the system and to editors. A press with a further modifier, of a held key,
 * or from an input method is not a shortcut.
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
// A dialog with `aria-modal="false"` counts as a part of the page.
const overlays =
  '[role="dialog"]:not([aria-modal="false"]), [role="alertdialog"], [role="menu"], [role="listbox"], [role="application"]'

/**
 * Where a key was pressed: in an editor or a text of several lines, in a text of one line, in an overlay, or elsewhere
 * on the page.
 */
export type Place = 'editor' | 'line' | 'overlay' | 'page'

/**
 * Returns where a key was pressed. While a modal dialog is open, it is the place even if nothing in it has the focus.
 */
export const placeOf = (target: EventTarget | null, page: ParentNode): Place => {
  const element = target instanceof Element ? target : null
  if (element !== null && element.closest(overlays) !== null) return 'overlay'
  if (page.querySelector('[data-base-ui-inert]') !== null) return 'overlay'
  if (element === null) return 'page'
  if (element.closest(editors) !== null) return 'editor'
  return element.closest(lines) === null ? 'page' : 'line'
}

/**
 * Whether a shortcut works at a place. The palette also opens from a text of one line, where its keys type no
 * character. All other shortcuts work only on the page.
 */
export const actsAt = (shortcut: Shortcut, place: Place): boolean =>
  place === 'page' || (place === 'line' && shortcut.type === 'palette')
