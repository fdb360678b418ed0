import { imageMaxBytes, imageTypes } from '@tributary/contract'
import { z } from 'zod'

/** The accepted types of a file dialog, so that the dialog offers only pictures. */
export const imageAccept = [...imageTypes, '.jpg', '.jpeg', '.png', '.webp'].join(',')

const isAccepted = ({ name, type }: File): boolean =>
  type === '' ? /\.(jpe?g|png|webp)$/i.test(name) : imageTypes.some((accepted) => accepted === type)

/**
 * Validates files that were chosen as a picture: exactly one file, then its size, then its type. If a file has no type,
 * its name decides.
 */
export const imageFiles = z.array(z.custom<File>((value) => value instanceof File)).superRefine((files, context) => {
  const fail = (message: string): void => {
    context.addIssue({ code: 'custom', message })
  }
  const [file] = files
  if (file === undefined || files.length > 1) fail('Image is required.')
  else if (file.size > imageMaxBytes) fail('Max file size is 2MB.')
  else if (!isAccepted(file)) fail('jpeg, jpg, png, webp files are accepted.')
})

/** Returns the reason why these files cannot be used as a picture, or undefined if they can. */
export const imageProblem = (files: readonly File[]): string | undefined =>
  imageFiles.safeParse(files).error?.issues[0]?.message

/** Returns the bytes of a file in base64, as calls with a picture require. Rejects if the file cannot be read. */
export const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const address = typeof reader.result === 'string' ? reader.result : ''
      resolve(address.slice(address.indexOf(',') + 1))
    })
    reader.addEventListener('error', () => reject(new Error('Could not read the file.', { cause: reader.error })))
    reader.readAsDataURL(file)
  })
