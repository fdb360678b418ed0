import { create } from 'zustand'

/**
 * Whether the dialog for inviting people is open. It is stored here because several places open the dialog of the
 * frame.
 */
export const useInvite = create<{ open: boolean }>()(() => ({ open: false }))

/** Opens the dialog for inviting people. */
export const openInvite = (): void => useInvite.setState({ open: true })

/** Closes the dialog for inviting people. */
export const closeInvite = (): void => useInvite.setState({ open: false })
