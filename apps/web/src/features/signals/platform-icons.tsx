import { type SignalPlatform, signalPlatformTitles } from '@tributary/contract'
import { AppIcon } from '../../ui/app-icon.tsx'

/** Maximum number of logos in a row. The remaining platforms are shown as a number. */
const shown = 4

/** The logos of a signal's platforms in a row, with their names for screen readers. */
export const PlatformIcons = ({
  platforms,
}: {
  platforms: readonly { destination: string; title: string; platform: SignalPlatform; app_icon: string }[]
}) =>
  platforms.length === 0 ? (
    <span className="text-ink-3">None</span>
  ) : (
    <span className="flex items-center gap-1">
      {platforms
        .slice(0, platforms.length > shown ? shown - 1 : shown)
        .map(({ destination, title, platform, app_icon }) => (
          <span key={destination} title={`${title} (${signalPlatformTitles[platform]})`}>
            <AppIcon icon={app_icon} className="size-6" />
            <span className="sr-only">{title}</span>
          </span>
        ))}
      {platforms.length > shown && (
        <span className="text-xs text-ink-2" title={platforms.map(({ title }) => title).join(', ')}>
          {`+${platforms.length - shown + 1}`}
        </span>
      )}
    </span>
  )
