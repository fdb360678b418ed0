import { imageMaxBytes, imageTypes } from '@tributary/contract'
import { z } from 'zod'

/** The accepted types of a file dialog, so that it offers only pictures. */
export const imageAccept = [...imageTypes, '.jpg', '.jpeg', '.png', '.webp'].join(',')

const isAccepted = ({ name, type }: File): boolean =>
  type === '' ? /\.(jpe?g|png|webp)$/i.test(name) : imageTypes.some((accepted) => accepted === type)

/** Files chosen for one picture: exactly one, then its size, then its type; a file without a type goes by its name. */
export const imageFiles = z.array(z.custom<File>((value) => value instanceof File)).superRefine((files, context) => {
  const fail = (message: string): void => {
    context.addIssue({ code: 'custom', message })
  }
  const [file] = files
  if (file === undefined || files.length > 1) fail('Image is required.')
  else if (file.size > imageMaxBytes) fail('Max file size is 2MB.')
  else if (!isAccepted(file)) fail('jpeg, jpg, png, webp files are accepted.')
})

/** The reason why these files cannot be used as the picture, or undefined. */
export const imageProblem = (files: readonly File[]): string | undefined =>
  imageFiles.safeParse(files).error?.issues[0]?.message

/** The bytes of a file in base64, as calls that take a picture want them. Rejects when the file cannot be read. */
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
