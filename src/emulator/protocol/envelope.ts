/** The envelope of every answer (docs/service.md, section 2). */

export type Answer =
  | { readonly ok: true; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly code: string; readonly message: string };

export function envelope(answer: Answer, requestId: string): Readonly<Record<string, unknown>> {
  return answer.ok
    ? { Response: Object.assign({}, answer.fields, { RequestId: requestId }) }
    : {
        Response: {
          Error: { Code: answer.code, Message: answer.message },
          RequestId: requestId,
        },
      };
}
