import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { errors, line, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { dataColumn, dataSourceLimits } from './queries.ts'

/** A file that was uploaded. */
export const upload = z.object({
  file_name: z.string(),
  size_bytes: z.number().int(),
  rows: z.number().int(),
  /** The columns of the file, as found when it was uploaded. */
  columns: z.array(dataColumn),
  /** Email of the uploader; '' for a deleted user. */
  uploaded_by: z.string(),
  upload_time: time,
  /** Whether the data source reads this file. */
  current: z.boolean(),
})
export type Upload = z.infer<typeof upload>

/** Maximum base64 characters of a part. Base64 adds a third. */
const partCharacters = Math.ceil(dataSourceLimits.uploadPart / 3) * 4

export const uploads = {
  create: defineMethod({
    name: 'uploads.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/dataSources/{data_source}/uploads',
    access: workspaceEditors,
    places: 'files',
    summary:
      'Uploads a file, in parts of up to 3 MB one after the other. The last part has the file read and put in the place of the one before; a broken file changes nothing.',
    request: z.object({
      /** ID of the upload to which the part belongs. */
      upload_id: z.uuid('Must be a UUID'),
      file_name: line(255).min(1, 'Required'),
      /** Total bytes of all earlier parts. A client can send a part again. */
      offset: z.number().int().min(0).default(0),
      /** The bytes of the part as base64. */
      content: z.base64('Must be base64').max(partCharacters, 'A part can have at most 3 MB'),
      last: z.boolean().default(true),
    }),
    bodyLimit: partCharacters + 64 * 1024,
    response: z.object({
      /** Number of bytes that were received until now. */
      size_bytes: z.number().int(),
      /** The complete upload; null until the last part arrives. */
      upload: upload.nullable(),
    }),
    errors: [
      errors.invalid,
      errors.forbidden,
      errors.notFound,
      {
        code: 400,
        reason: 'FILE_REFUSED',
        when: 'The file is broken, empty, too large, or not of the format; metadata.file says why, with the line.',
      },
      {
        code: 409,
        reason: 'PART_MISSING',
        when: 'Parts before this one are missing; metadata.size_bytes says how many bytes have arrived.',
      },
      {
        code: 409,
        reason: 'UPLOAD_BUSY',
        when: 'Another part of the same upload is being received. Send parts one after the other.',
      },
      {
        code: 429,
        reason: 'WORKSPACE_BUSY',
        when: 'Too many calls of this workspace wait for data sources. Try again when one of them has ended.',
      },
      errors.unavailable,
    ],
  }),
  get: defineMethod({
    name: 'uploads.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/dataSources/{data_source}/uploads',
    access: workspaceMembers,
    summary: 'Gets the last 20 uploads of a data source, newest first. Only the bytes of the newest are kept.',
    response: z.object({ uploads: z.array(upload) }),
    errors: [errors.notFound],
  }),
}
