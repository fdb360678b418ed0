import { Box } from 'lucide-react'
import { mediaUrl } from '../lib/api/media.ts'
import { cn } from './cn.ts'

const thumbnail = { maxHeight: 32, maxWidth: 32 } as const
const sizes = { sm: 'size-7', md: 'size-9', lg: 'size-11' } as const

/** The picture of an app in a frame, at most 32 by 32 px. The name of the app must be shown beside it. */
export const AppIcon = ({
  icon,
  size = 'sm',
  className,
}: {
  icon: string
  size?: keyof typeof sizes
  className?: string
}) => (
  <span
    aria-hidden
    className={cn(
      'grid shrink-0 place-items-center overflow-hidden rounded-md border border-line bg-tile p-1 text-on-tile',
      sizes[size],
      className,
    )}
  >
    {icon === '' ? (
      <Box className="size-4" />
    ) : (
      <img src={mediaUrl(icon, thumbnail)} alt="" loading="lazy" className="max-h-8 max-w-full object-contain" />
    )}
  </span>
)
