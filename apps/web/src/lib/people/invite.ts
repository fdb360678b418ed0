import { create } from 'zustand'

/**
 * Whether the dialog for inviting people is open. It is stored here because several places open the dialog of the
 * frame.
 */
export const useInvite = create<{ open: boolean }>()(() => ({ open: false }))

/** Opens the window. */
export const openInvite = (): void => useInvite.setState({ open: true })

/** Closes it. */
export const closeInvite = (): void => useInvite.setState({ open: false })
