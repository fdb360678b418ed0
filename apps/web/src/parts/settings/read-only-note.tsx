import { useMayEdit } from '../../lib/workspace.ts'

/** Tells a guest why the settings below cannot be changed; nothing for everybody else. */
export const ReadOnlyNote = () =>
  useMayEdit() === false && (
    <p className="rounded-lg bg-sunken px-4 py-2.5 text-sm text-ink-2">
      As a guest, you can view these settings. Administrators and collaborators can change them.
    </p>
  )
