import type { Destination } from '@tributary/contract'
import { TriangleAlert } from 'lucide-react'
import { useLocation } from 'react-router'
import { listed } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { tabOfVisit } from '../../ui/tabs.tsx'

/** Shows on every tab which settings a destination still needs, with a link to them. Nothing if they are complete. */
export const SetUpNotice = ({ destination }: { destination: Destination }) => {
  const mayEdit = useMayEdit() === true
  const tab = tabOfVisit(useLocation())
  const { state, missing_settings: missing, app, name } = destination
  if (state === 'ready') return null
  const labels = app.settings.filter((setting) => missing.includes(setting.name)).map((each) => each.display_name)
  return (
    <section
      aria-label="Set-up needed"
      className="mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-warning/50 bg-warning-soft px-4 py-3 text-sm"
    >
      <TriangleAlert aria-hidden className="size-4 shrink-0 text-warning-ink" />
      <p className="min-w-0 flex-1 basis-60 text-ink">
        This destination needs set-up. Enter {listed(labels)}. Until then, its events are held.
      </p>
      {mayEdit && tab !== 'settings' && (
        <ButtonLink to={paths.destination(name, 'settings')} size="sm" replace>
          Finish set-up
        </ButtonLink>
      )}
    </section>
  )
}
