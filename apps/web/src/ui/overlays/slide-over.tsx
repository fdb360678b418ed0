import { cn } from '../cn.ts'
import { Modal, type ModalProps } from './modal.tsx'

const widths = {
  sm: 'sm:max-w-sm',
  md: 'sm:max-w-lg',
  lg: 'sm:max-w-3xl',
  xl: 'sm:max-w-5xl',
  full: 'max-w-full',
} as const
export type SlideOverSize = keyof typeof widths
export const slideOverSizes = Object.keys(widths) as readonly SlideOverSize[]

/** A modal panel at the right, as high as the page. On a phone it covers the whole page. */
export const SlideOver = ({ size = 'md', ...rest }: ModalProps & { size?: SlideOverSize }) => (
  <Modal
    {...rest}
    viewportClass="flex justify-end overflow-hidden"
    popupClass={cn('h-dvh data-ending-style:translate-x-full data-starting-style:translate-x-full', widths[size])}
  />
)
