import { create } from 'zustand'

/** The open keyboard window: the command palette with its text, the list of shortcuts, or none. */
export const useCommand = create<{ open: 'palette' | 'shortcuts' | undefined; text: string }>()(() => ({
  open: undefined,
  text: '',
}))

/** Opens one of them in place of the other; the palette is empty. */
export const openCommand = (open: 'palette' | 'shortcuts'): void => useCommand.setState({ open, text: '' })

/** Closes what is open. */
export const closeCommand = (): void => useCommand.setState({ open: undefined })

/** Puts a text into the palette. */
export const typeCommand = (text: string): void => useCommand.setState({ text })
