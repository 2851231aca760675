/** A channel of an organization on the marketplace. Path segments, verbatim. */
export interface ChannelRef {
  readonly org: string
  readonly channel: string
}

/** `org/slug`: how a channel is named in the database, in logs and on the command line. */
export const channelKey = ({ org, channel }: ChannelRef): string => `${org}/${channel}`
