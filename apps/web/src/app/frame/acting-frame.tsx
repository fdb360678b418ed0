import { Outlet, useNavigate } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { stopActing, useSession } from '../../lib/people/session.ts'

/**
 * The frame of pages while a platform admin acts on behalf of an organization. `--banner` is the height of its banner.
 */
export const ActingFrame = () => {
  const acting = useSession((state) => state.actOnBehalfOf)
  const navigate = useNavigate()
  if (acting === null) return <Outlet />
  const { display_name, title } = acting.organization
  const organization = display_name === '' ? title : display_name
  const stop = async (): Promise<void> => {
    await navigate(paths.root())
    stopActing()
  }
  return (
    <div className="md:[--banner:calc(2.75rem+var(--away))]">
      <section
        aria-label="Acting on behalf"
        className="flex min-h-11 flex-wrap items-center justify-center gap-x-4 gap-y-1.5 bg-danger px-4 py-1.5 text-sm text-white md:sticky md:top-(--away) md:z-30 md:h-11 md:flex-nowrap"
      >
        <p className="min-w-0 text-center font-medium break-words md:flex md:whitespace-pre">
          {'You are currently acting as "'}
          <span className="min-w-0 md:truncate" title={organization}>
            {organization}
          </span>
          {'" Organisation Administrator'}
        </p>
        <button
          type="button"
          onClick={() => void stop()}
          className="h-7 shrink-0 rounded-md border border-white/60 px-2.5 text-xs font-medium transition-colors hover:bg-white/15 focus-visible:outline-white"
        >
          Stop Acting on behalf
        </button>
      </section>
      <Outlet />
    </div>
  )
}
