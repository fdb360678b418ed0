import { type SignalPlatform, signalPlatformTitles } from '@tributary/contract'
import { AppIcon } from '../../ui/app-icon.tsx'

/** The logos of the platforms of a signal in a row, with their names read out. */
export const PlatformIcons = ({
  platforms,
}: {
  platforms: readonly { destination: string; title: string; platform: SignalPlatform; app_icon: string }[]
}) =>
  platforms.length === 0 ? (
    <span className="text-ink-3">None</span>
  ) : (
    <span className="flex flex-wrap items-center gap-1">
      {platforms.map(({ destination, title, platform, app_icon }) => (
        <span key={destination} title={`${title} (${signalPlatformTitles[platform]})`}>
          <AppIcon icon={app_icon} className="size-6" />
          <span className="sr-only">{title}</span>
        </span>
      ))}
    </span>
  )
